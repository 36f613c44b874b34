//! Applies another configuration to a member that runs.

use crate::config::{Config, ConfigError};
use crate::engine::Action;
use crate::participant::{Host, Member};
use std::sync::PoisonError;
use suffrage_net::tls::Tls;

impl Member {
    /// Applies another configuration: certificates, priorities, offices, and the token of HTTP.
    ///
    /// # Errors
    /// If it cannot be used, or differs in a key that only a restart can change. Nothing of it is applied
    /// then.
    pub fn reload(&self, config: &Config) -> Result<(), ConfigError> {
        let wrong = |key, why| Err(config.wrong(key, why));
        if let Some(difference) = self.agreement().difference(&config.agreement()) {
            return wrong("", format!("{difference}: this takes a restart of all members"));
        }
        let names = || config.offices.iter().map(|office| &office.name);
        let offices = |error| config.wrong("offices", error);
        self.check(names()).map_err(offices)?;
        if let Some(host) = self.host() {
            host.reload(config, self.name())?;
        }
        self.enter(names()).map_err(offices)?;
        let (priorities, offices) = (config.priorities(self.name()), config.office_names());
        self.act(Action::Configure { priorities, offices, stops: config.stops() });
        Ok(())
    }
}

impl Host {
    /// Applies what is neither of the protocol nor of programs, or nothing.
    fn reload(&self, config: &Config, name: &str) -> Result<(), ConfigError> {
        let fixed = fixed(&self.config, config);
        if let Some(first) = fixed.first() {
            let why = format!(
                "to change {} takes a restart of this member; nothing of the file is applied",
                fixed.join(" and ")
            );
            return Err(config.wrong(first, why));
        }
        let tls =
            Tls::from_files(config.tls.clone()).map_err(|error| config.wrong("tls", error))?;
        let own = config.own_name(&tls)?;
        if own != name {
            let why = format!("this member is `{name}`, and by the file it would be `{own}`");
            return Err(config.wrong("member", why));
        }
        #[cfg(feature = "http")]
        let token = config.token()?;
        // From here on only the files of the certificates can fail, if they have changed meanwhile.
        self.tls.use_files(config.tls.clone()).map_err(|error| config.wrong("tls", error))?;
        #[cfg(feature = "http")]
        self.token.replace(token.as_deref());
        *self.stops.write().unwrap_or_else(PoisonError::into_inner) = config.stops();
        Ok(())
    }
}

fn fixed(before: &Config, now: &Config) -> Vec<String> {
    let mut keys = Vec::new();
    let mut compare = |key: &str, differs: bool| keys.extend(differs.then(|| key.to_owned()));
    compare("cluster", before.cluster != now.cluster);
    compare("data", before.data != now.data);
    compare("listen", before.listen != now.listen);
    for (one, other) in before.members.iter().zip(&now.members) {
        compare(&format!("members, `{}`, address", one.name), one.address != other.address);
    }
    let listen = |config: &Config| config.http.as_ref().map(|http| http.listen);
    compare("http.listen", listen(before) != listen(now));
    let site = |config: &Config| config.http.as_ref().and_then(|http| http.site.clone());
    compare("http.certificate", site(before) != site(now));
    keys
}
