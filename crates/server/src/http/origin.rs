//! Refuses requests that browsers make for pages of other sites.
//!
//! It does not know whether the request itself is valid; `hosts` checks for which name it was made.

use crate::Config;
use crate::refused::Refused;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use protocol::Code;

/// The header in which browsers say whether a request comes from this site.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns whether the browser says that the request comes from a page of another site (Fetch Metadata). Browsers send
/// this only over https and on localhost, so a missing header means nothing.
pub(super) fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get_all(SEC_FETCH_SITE).iter().any(|site| site == "cross-site")
}

/// Protects against CSRF and cross-site WebSocket hijacking: browsers send the origin of a request, and pages of other
/// sites may not act for our players. Clients that are not browsers send no `Origin`.
pub(super) fn of_our_own_page(config: &Config, headers: &HeaderMap) -> Result<(), Refused> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    // There must be exactly one origin, with a web scheme and a host. If a proxy says that the page was loaded over
    // https, http is refused.
    let secure = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let web = |scheme: &str| scheme == "https" || (scheme == "http" && !secure);
    let origin = origin.filter(|origin| origin.scheme_str().is_some_and(web) && origins.next().is_none());
    let site = origin.as_ref().and_then(Uri::authority);
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let public = config.public_url.as_ref();
    let same_host = site.is_some_and(|site| Some(site.as_str()) == host);
    let same_public = origin.as_ref().is_some_and(|origin| {
        public.is_some_and(|public| public.authority() == origin.authority() && public.scheme() == origin.scheme())
    });
    if same_host || same_public {
        return Ok(());
    }
    Err(foreign())
}

/// Returns the refusal of a request from a page of another site.
pub(super) fn foreign() -> Refused {
    Refused::new(StatusCode::FORBIDDEN, Code::ForeignOrigin, "requests from other sites are refused")
}
