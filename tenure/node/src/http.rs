//! Offices, programs that stand, health checks and metrics over HTTP.
//!
//! docs/reference/http.md has all requests, and http.openapi.json beside it is for programs. Those that make a leader
//! leave, or stand, need a token, `Authorization: Bearer TOKEN`, which is unrelated to the certificates of members. If no
//! token is configured, they are refused.

mod candidacies;
mod listener;
mod metrics;
pub(crate) mod tokens;

pub use tokens::{HttpProgram, HttpTokens, TokenSet};

use crate::error::{ParticipantEnded, StandError, TransferError};
use crate::participant::Participant;
use crate::standing::OfficeStanding;
use crate::status::{OfficeStatus, ParticipantStatus};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use candidacies::Candidacies;
use listener::HttpLimits;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};
use suffrage_net::tasks::AFTER_PANIC;
use suffrage_net::tls::ServerTls;
use tokens::TokenError;
use tokio::time::{sleep, timeout};
use tokio_stream::{Stream, StreamExt as _};

#[derive(Clone)]
struct Served {
    participant: Participant,
    tokens: HttpTokens,
    candidacies: Candidacies,
}

/// The leader of an office, as JSON.
#[derive(Debug, Serialize)]
struct OfficeAnswer {
    office: String,
    leader: Option<String>,
    term: Option<u64>,
    /// The value of the leader; `null` if it has set none, or it is not known here yet.
    value: Option<String>,
    /// How often the leader of this term has changed its value; `null` if that is not known.
    change: Option<u64>,
    staleness_seconds: f64,
    /// For how long the leadership is certain; `null` if this participant does not lead.
    valid_for_seconds: Option<f64>,
}

impl OfficeAnswer {
    async fn of(standing: &OfficeStanding, participant: &Participant) -> Self {
        let status = participant.status().await.ok();
        let same = |office: &OfficeStatus| {
            office.name == standing.office() && office.term == standing.term()
        };
        let here = status.and_then(|status| status.offices.into_iter().find(same));
        Self::from(OfficeStatus {
            name: standing.office().to_owned(),
            leader: standing.leader().map(|leader| leader.name.clone()),
            term: standing.term(),
            value: standing.value().map(str::to_owned),
            change: standing.change(),
            staleness: standing.staleness(),
            ..here.unwrap_or_default()
        })
    }
}

impl From<OfficeStatus> for OfficeAnswer {
    fn from(office: OfficeStatus) -> Self {
        Self {
            office: office.name,
            leader: office.leader,
            term: office.term,
            value: office.value,
            change: office.change,
            staleness_seconds: office.staleness.as_secs_f64(),
            valid_for_seconds: office.valid_for.map(|left| left.as_secs_f64()),
        }
    }
}

/// Returns the routes of a participant. HTTP clients with these tokens may make leaders leave, or stand.
pub fn router(participant: Participant, tokens: HttpTokens) -> Router {
    Router::new()
        .route("/v1/offices", get(offices))
        .route("/v1/offices/{name}", get(office))
        .route("/v1/offices/{name}/watch", get(watch))
        .route("/v1/offices/{name}/resign", post(resign))
        .route("/v1/offices/{name}/transfer", post(transfer))
        .route("/v1/offices/{name}/stand", post(candidacies::stand))
        .route("/v1/candidacies/{key}", post(candidacies::say))
        .route("/v1/status", get(status))
        .route("/leader/{name}", get(leader))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(Served { participant, tokens, candidacies: Candidacies::default() })
}

/// Serves a participant on a thread of its own, until the participant has ended; with TLS if there is
/// a certificate. At most 192 HTTP clients are connected at a time; one that sends no request for 5 s, or does
/// not take its answer for 10 s, is not for longer.
///
/// # Errors
/// If there is no thread, or the listener cannot be used.
pub fn serve(
    listener: TcpListener,
    participant: Participant,
    tokens: HttpTokens,
    site: Option<ServerTls>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = Arc::new(listener);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = participant.until_ended();
    let warned = participant.weak();
    let report = move |why: Option<String>| {
        warned.warn_of("HTTP", why.map(|why| format!("of HTTP, {why}")));
    };
    let (router, tasks) = (router(participant.weak(), tokens), participant.tasks());
    thread::Builder::new().name("tenure-http".into()).spawn(move || {
        runtime.block_on(async {
            tasks.spawn_again("HTTP", AFTER_PANIC, move || {
                let (listener, site, router) = (listener.clone(), site.clone(), router.clone());
                listen(listener, site, router, report.clone())
            });
            ended.await;
        });
        drop(tasks);
        runtime.shutdown_background();
    })?;
    Ok(())
}

/// Serves what this listener accepts. Never returns.
async fn listen(
    listener: Arc<TcpListener>,
    site: Option<ServerTls>,
    router: Router,
    report: impl Fn(Option<String>) + Send + Sync,
) {
    loop {
        let copy = listener.try_clone().and_then(tokio::net::TcpListener::from_std);
        match copy {
            Ok(listener) => {
                let (site, router) = (site.clone(), router.clone());
                listener::serve(listener, site, router, HttpLimits::default(), &report).await;
            }
            Err(error) => report(Some(format!("the listener cannot be used: {error}"))),
        }
        sleep(AFTER_PANIC).await;
    }
}

struct HttpError(StatusCode, String);

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        (self.0, format!("{}\n", self.1)).into_response()
    }
}

impl From<StandError> for HttpError {
    fn from(error: StandError) -> Self {
        let code = match error {
            StandError::Office(_) | StandError::Stop { .. } => StatusCode::BAD_REQUEST,
            StandError::Witness | StandError::Ended => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self(code, error.to_string())
    }
}

impl From<ParticipantEnded> for HttpError {
    fn from(error: ParticipantEnded) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}

async fn offices(State(served): State<Served>) -> Result<Json<Vec<OfficeAnswer>>, HttpError> {
    let status = served.participant.status().await?;
    Ok(Json(status.offices.into_iter().map(OfficeAnswer::from).collect()))
}

/// What an HTTP client knows already, and how long it waits for something later.
#[derive(Deserialize)]
struct After {
    after: Option<String>,
    wait: Option<String>,
}

/// The longest time for which an HTTP client may wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl After {
    fn read(&self) -> Result<((u64, u64), Duration), HttpError> {
        let wrong = |what: &str| HttpError(StatusCode::BAD_REQUEST, what.to_owned());
        let after = self.after.as_deref().unwrap_or("0.0").split_once('.');
        let after =
            after.and_then(|(term, change)| Some((term.parse().ok()?, change.parse().ok()?)));
        let after = after.ok_or_else(|| {
            wrong("`after` is a term and the number of a change, as in 25769803780.1")
        })?;
        let wait = self.wait.as_deref().map_or(Ok(Duration::ZERO), humantime::parse_duration);
        let wait = wait.map_err(|_| wrong("`wait` is a time, as in 30s"))?;
        Ok((after, wait.min(LONGEST_WAIT)))
    }
}

async fn office(
    State(served): State<Served>,
    Path(name): Path<String>,
    Query(after): Query<After>,
) -> Result<Json<OfficeAnswer>, HttpError> {
    let ((term, change), wait) = after.read()?;
    let office = served.participant.office(&name);
    let mut standing = office.standing().await?;
    if !wait.is_zero() {
        let mut watch = office.watch().await?;
        let later = async {
            while let Some(next) = watch.next().await {
                standing = next;
                if standing.term().zip(standing.change()) > Some((term, change)) {
                    return;
                }
            }
        };
        let _ = timeout(wait, later).await;
    }
    Ok(Json(OfficeAnswer::of(&standing, &served.participant).await))
}

async fn watch(
    State(served): State<Served>,
    Path(name): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpError> {
    let watch = served.participant.office(&name).watch().await?;
    let events = watch.then(move |standing| {
        let participant = served.participant.clone();
        async move {
            let answer = OfficeAnswer::of(&standing, &participant).await;
            let answer = serde_json::to_string(&answer).unwrap_or_default();
            Ok(Event::default().event("standing").data(answer))
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

impl From<TokenError> for HttpError {
    fn from(error: TokenError) -> Self {
        let (code, why) = match error {
            TokenError::NotConfigured => {
                (StatusCode::FORBIDDEN, "not allowed: no token is configured here")
            }
            TokenError::Unknown => (StatusCode::UNAUTHORIZED, "this needs the token"),
            TokenError::OtherOffices => {
                (StatusCode::FORBIDDEN, "not allowed: this token is for other offices")
            }
        };
        Self(code, why.to_owned())
    }
}

fn left(done: Result<(), TransferError>) -> Result<&'static str, HttpError> {
    done.map(|()| "done\n").map_err(|error| {
        let code = match error {
            TransferError::Unknown(_) => StatusCode::NOT_FOUND,
            TransferError::NotLeading(_) | TransferError::NotTransferred(_) => StatusCode::CONFLICT,
        };
        HttpError(code, error.to_string())
    })
}

async fn resign(
    State(served): State<Served>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<&'static str, HttpError> {
    served.tokens.check_operator(&headers)?;
    left(served.participant.office(&name).ask_to_resign().await)
}

#[derive(Deserialize)]
struct To {
    to: String,
}

async fn transfer(
    State(served): State<Served>,
    Path(name): Path<String>,
    Query(To { to }): Query<To>,
    headers: HeaderMap,
) -> Result<&'static str, HttpError> {
    served.tokens.check_operator(&headers)?;
    left(served.participant.office(&name).ask_to_transfer(&to).await)
}

async fn status(State(served): State<Served>) -> Result<Json<ParticipantStatus>, HttpError> {
    Ok(Json(served.participant.status().await?))
}

async fn leader(
    State(served): State<Served>,
    Path(name): Path<String>,
) -> Result<String, HttpError> {
    let status = served.participant.status().await?;
    let here = status.offices.iter().find(|office| office.name == name);
    match here {
        Some(office) if office.valid_for.is_some_and(|left| !left.is_zero()) => {
            Ok(format!("{}\n", office.term.unwrap_or_default()))
        }
        _ => Err(HttpError(StatusCode::SERVICE_UNAVAILABLE, "not led here".to_owned())),
    }
}

async fn healthz(State(served): State<Served>) -> Result<&'static str, HttpError> {
    served.participant.status().await?;
    Ok("the loop runs\n")
}

async fn readyz(State(served): State<Served>) -> Result<&'static str, HttpError> {
    match served.participant.status().await?.unready() {
        None => Ok("ready\n"),
        Some(why) => Err(HttpError(StatusCode::SERVICE_UNAVAILABLE, why)),
    }
}

async fn metrics(State(served): State<Served>) -> Result<Response, HttpError> {
    let text = metrics::text(&served.participant.status().await?);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, text).into_response())
}
