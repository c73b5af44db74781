//! What links say: the public address a host named, or the one the request came to.

use crate::shared::Shared;
use axum::http::HeaderMap;
use axum::http::header::HOST;

/// Where this server is, as the one who asks sees it.
pub struct Links {
    origin: String,
    base: String,
}

impl Links {
    /// The links for an answer to a request with these headers.
    pub fn of(shared: &Shared, headers: &HeaderMap) -> Links {
        if let Some(public) = &shared.config.public_url {
            let origin = format!(
                "{}://{}",
                public.scheme_str().unwrap_or("https"),
                public.authority().map_or("", |authority| authority.as_str())
            );
            return Links { origin, base: format!("{}/", public.path().trim_end_matches('/')) };
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        // `X-Forwarded-Proto`: only a proxy knows which scheme the browser used. Whoever makes it up spoils nobody's
        // links but their own.
        let proto = headers.get("x-forwarded-proto").and_then(|proto| proto.to_str().ok());
        let scheme = if proto == Some("https") { "https" } else { "http" };
        Links { origin: format!("{scheme}://{host}"), base: "/".to_owned() }
    }

    /// The path under which everything lives, with slashes at both ends.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The whole address of something under the base.
    pub fn absolute(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.base)
    }
}
