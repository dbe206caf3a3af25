//! Which providers of a list each rule sees: in a list of several applications, a document narrows those of its own.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::Reach;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::rpc::keys;

/// The providers of each application that some rule names.
pub(crate) struct Reaches {
    by_application: HashMap<String, Arc<Selection>>,
    /// By phase, the providers of applications that enabled rules of it are for.
    taken: Vec<(Phase, Selection)>,
    all: Selection,
}

// === impl Reaches ===

impl Reaches {
    pub(crate) fn of<'a>(list: &InvokerList, headers: impl Iterator<Item = &'a RuleHeader>) -> Self {
        let mut reaches = Self { by_application: HashMap::new(), taken: Vec::new(), all: list.all().clone() };
        for header in headers {
            let Reach::Application(application) = &header.scope.providers else { continue };
            let positions = reaches
                .by_application
                .entry_ref(application.as_str())
                .or_insert_with(|| Arc::new(positions_of(list, application)));
            if !header.is_enabled {
                continue;
            }
            match reaches.taken.iter_mut().find(|(phase, _)| *phase == header.phase) {
                Some((_, taken)) => taken.unite(positions),
                None => reaches.taken.push((header.phase, Selection::clone(positions))),
            }
        }
        reaches
    }

    /// The providers that a rule sees; none where that is all of the list.
    pub(crate) fn reach(&self, header: &RuleHeader) -> Option<Arc<Selection>> {
        let reach = match &header.scope.providers {
            Reach::Application(application) => Arc::clone(self.by_application.get(application.as_str())?),
            Reach::OtherApplications => {
                let (_, taken) = self.taken.iter().find(|(phase, _)| *phase == header.phase)?;
                let mut others = self.all.clone();
                others.subtract(taken);
                Arc::new(others)
            }
            _ => return None,
        };
        (*reach != self.all).then_some(reach)
    }
}

/// The providers of `application`: by `remote.application`, else by `application`.
fn positions_of(list: &InvokerList, application: &str) -> Selection {
    let mut found = Selection::none(list.len());
    let of_value = |key: &str, value: &str| {
        let (column, mut positions) = (list.column(key), Selection::none(list.len()));
        column.number(value).into_iter().for_each(|number| column.add_to(number, &mut positions));
        positions
    };
    found.unite(&of_value(keys::APPLICATION, application));
    let mut has_remote = list.column(keys::REMOTE_APPLICATION).present().clone();
    has_remote.subtract(&of_value(keys::REMOTE_APPLICATION, ""));
    found.subtract(&has_remote);
    found.unite(&of_value(keys::REMOTE_APPLICATION, application));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::Provider;
    use crate::rpc::ServiceKey;
    use crate::rpc::Url;

    #[test]
    fn the_remote_application_counts_before_the_own() {
        let urls = [
            "dubbo://10.0.0.1:1/S?application=a",
            "dubbo://10.0.0.2:1/S?application=a&remote.application=b",
            "dubbo://10.0.0.3:1/S?application=b&remote.application=a",
            "dubbo://10.0.0.4:1/S?application=a&remote.application=",
            "dubbo://10.0.0.5:1/S",
        ];
        let providers = urls.iter().map(|text| Provider::from(Url::parse(text).unwrap())).collect();
        let list = InvokerList::of(ServiceKey::parse("S"), providers);
        for (application, expected) in [("a", vec![0, 2, 3]), ("b", vec![1]), ("c", vec![])] {
            let found: Vec<_> = positions_of(&list, application).positions().collect();
            assert_eq!(found, expected, "{application}");
        }
    }
}
