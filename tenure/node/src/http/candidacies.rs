//! Programs that stand over HTTP.
//!
//! A program's request to stand is answered by a stream of what the member says, and this stream is its candidacy. What
//! the program says comes by requests of their own, to the key that the stream begins with. Both are one conversation
//! with the program of the member, which decides; here bytes are carried.

use super::{HttpError, Served};
use crate::error::StandError;
use crate::office::OfficeName;
use crate::participant::Participant;
use crate::random::draw;
use crate::transport::quic::ConversationRights;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, WriteHalf};
use tokio::time::timeout;
use tokio_stream::wrappers::LinesStream;
use tokio_stream::{Stream, StreamExt as _};

/// The longest body of a request, in bytes.
const LONGEST_BODY: usize = 32 * 1024;

/// The time that a client has to send a body.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often something is sent on a stream, so that a program that has vanished is noticed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// What a program wants that stands.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_ms: Option<u64>,
    #[serde(rename = "try", default)]
    only_try: bool,
}

/// The candidacies of this member, by their keys.
#[derive(Clone, Default)]
pub(super) struct Candidacies(Arc<Mutex<BTreeMap<String, Arc<RemoteCandidacy>>>>);

struct RemoteCandidacy {
    office: String,
    /// What the program says.
    said: tokio::sync::Mutex<WriteHalf<DuplexStream>>,
}

impl RemoteCandidacy {
    async fn say(&self, message: &Value) -> io::Result<()> {
        self.said.lock().await.write_all(format!("{message}\n").as_bytes()).await
    }
}

/// A candidacy that ends when this is dropped.
struct OpenCandidacy {
    key: String,
    all: Candidacies,
}

impl Drop for OpenCandidacy {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}

impl Candidacies {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<RemoteCandidacy>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to stand. Returns the events for the program; the candidacy ends with them.
    async fn begin(
        &self,
        participant: &Participant,
        program: String,
        office: String,
        wish: &Wish,
    ) -> Option<impl Stream<Item = io::Result<Event>> + use<>> {
        let stream = participant.converse(ConversationRights::Stand(program))?;
        let (heard, said) = tokio::io::split(stream);
        let mut stand = json!(wish);
        stand["office"] = Value::String(office.clone());
        let candidacy = Arc::new(RemoteCandidacy { office, said: tokio::sync::Mutex::new(said) });
        candidacy.say(&json!({"hello": {"versions": [1]}})).await.ok()?;
        candidacy.say(&json!({"stand": stand})).await.ok()?;
        let open = OpenCandidacy { key: format!("{:032x}", draw()), all: self.clone() };
        self.lock().insert(open.key.clone(), candidacy);
        let lines = LinesStream::new(BufReader::new(heard).lines());
        Some(lines.map(move |line| event(&line?, &open.key)))
    }
}

/// Returns a message of the member as an event. The first one tells the program the key of its candidacy.
fn event(line: &str, key: &str) -> io::Result<Event> {
    let message: Map<String, Value> = serde_json::from_str(line)?;
    let (name, mut content) = message.into_iter().next().ok_or(io::ErrorKind::InvalidData)?;
    if name == "hello" {
        content["candidacy"] = Value::String(key.to_owned());
    }
    Ok(Event::default().event(name).data(content.to_string()))
}

async fn body_of(body: Body) -> Result<axum::body::Bytes, HttpError> {
    let late = HttpError(StatusCode::REQUEST_TIMEOUT, "the body did not come".to_owned());
    timeout(PATIENCE, to_bytes(body, LONGEST_BODY)).await.map_err(|_| late)?.map_err(|_| {
        let why = format!("a body has at most {LONGEST_BODY} bytes");
        HttpError(StatusCode::PAYLOAD_TOO_LARGE, why)
    })
}

fn nonsense(why: &serde_json::Error) -> HttpError {
    HttpError(StatusCode::BAD_REQUEST, format!("the body cannot be used: {why}"))
}

/// Stands for an office.
pub(super) async fn stand(
    State(served): State<Served>,
    Path(office): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Sse<impl Stream<Item = io::Result<Event>>>, HttpError> {
    let program = served.tokens.check_program(&headers, Some(&office))?;
    OfficeName::new(&office).map_err(StandError::from)?;
    let body = body_of(body).await?;
    let wish = match body.is_empty() {
        true => Wish::default(),
        false => serde_json::from_slice(&body).map_err(|why| nonsense(&why))?,
    };
    let begun = served.candidacies.begin(&served.participant, program, office, &wish).await;
    let events = begun.ok_or_else(|| {
        let why = "the program of this member answers none, or too many wait for it";
        HttpError(StatusCode::SERVICE_UNAVAILABLE, why.to_owned())
    })?;
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

/// Takes what a program says to its candidacy.
pub(super) async fn say(
    State(served): State<Served>,
    Path(key): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, HttpError> {
    let unknown = || {
        let why = "this candidacy has ended, or never was";
        HttpError(StatusCode::NOT_FOUND, why.to_owned())
    };
    let candidacy = served.candidacies.lock().get(&key).cloned();
    // Who has no token does not learn which keys there are.
    let office = candidacy.as_ref().map(|candidacy| candidacy.office.as_str());
    served.tokens.check_program(&headers, office)?;
    let candidacy = candidacy.ok_or_else(unknown)?;
    let body = body_of(body).await?;
    let message: Map<String, Value> =
        serde_json::from_slice(&body).map_err(|why| nonsense(&why))?;
    candidacy.say(&Value::Object(message)).await.map_err(|_| unknown())?;
    Ok(StatusCode::NO_CONTENT)
}
