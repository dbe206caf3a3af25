//! The folder's providers as one list, and which of them a rule is for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::at_most;
use crate::router::InvokerList;
use crate::router::Reach;
use crate::router::Scope;
use crate::router::Selection;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::keys;
use crate::source::folder::FolderContents;

/// All providers of a folder.
#[derive(Debug)]
pub(super) struct Providers {
    list: Arc<InvokerList>,
    by_service: BTreeMap<ServiceKey, Vec<usize>>,
    by_application: BTreeMap<String, Vec<usize>>,
    /// Rules are mostly for services that other rules are for too.
    reached: RefCell<HashMap<ServiceScope, Arc<Selection>>>,
}

/// The part of a scope that names services.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ServiceScope([Option<String>; 4]);

// === impl Providers ===

impl Providers {
    pub(super) fn of(contents: &FolderContents) -> Self {
        let providers: Vec<Provider> = contents.providers().cloned().map(Provider::new).collect();
        let mut by_service: BTreeMap<ServiceKey, Vec<usize>> = BTreeMap::new();
        let mut by_application: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (position, provider) in providers.iter().enumerate() {
            if let Some(key) = provider.url().service_key() {
                by_service.entry(key).or_default().push(position);
            }
            if let Some(application) = provider.application() {
                by_application.entry(application.to_owned()).or_default().push(position);
            }
        }
        let list = Arc::new(InvokerList::of(ServiceKey::new(None, keys::ANY, None), providers));
        Self { list, by_service, by_application, reached: RefCell::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The services that providers offer, in order.
    pub(super) fn services(&self) -> impl Iterator<Item = &ServiceKey> {
        self.by_service.keys()
    }

    pub(super) fn has_service(&self, key: &ServiceKey) -> bool {
        self.by_service.contains_key(key)
    }

    /// The applications of providers, in order.
    pub(super) fn applications(&self) -> impl Iterator<Item = &str> {
        self.by_application.keys().map(String::as_str)
    }

    pub(super) fn has_application(&self, name: &str) -> bool {
        self.by_application.contains_key(name)
    }

    /// The providers of the services, and of the application, that a scope names.
    pub(super) fn reached_by(&self, scope: &Scope) -> Arc<Selection> {
        let of_services = self.of_services(scope);
        // The rule is there once more, for the consumers of the application: those call everybody.
        if scope.except_application.is_some() {
            return of_services;
        }
        let Reach::Application(application) = &scope.providers else { return of_services };
        let of_application = self.by_application.get(application.as_str()).map_or(&[][..], Vec::as_slice);
        let mut reached = Selection::from_positions(self.list.len(), of_application.iter().copied());
        reached.intersect(&of_services);
        Arc::new(reached)
    }

    fn of_services(&self, scope: &Scope) -> Arc<Selection> {
        let service = scope.service.as_ref().map(ToString::to_string);
        let key = ServiceScope([service, scope.interface.clone(), scope.group.clone(), scope.version.clone()]);
        if let Some(known) = self.reached.borrow().get(&key) {
            return Arc::clone(known);
        }
        let reached = Arc::new(match (&scope.service, &key.0) {
            (Some(service), _) => {
                let positions = self.by_service.get(service).into_iter().flatten().copied();
                Selection::from_positions(self.list.len(), positions)
            }
            (None, [_, None, None, None]) => self.list.all().clone(),
            (None, _) => {
                let covered = self.by_service.iter().filter(|(key, _)| scope.covers(key));
                Selection::from_positions(self.list.len(), covered.flat_map(|(_, positions)| positions).copied())
            }
        });
        self.reached.borrow_mut().insert(key, Arc::clone(&reached));
        reached
    }

    /// Which of `reached` a side may keep, whoever calls.
    pub(super) fn kept(&self, pairs: &[Pair], dialect: Dialect, reached: &Selection) -> Selection {
        let mut kept = at_most(pairs, dialect, &self.list);
        kept.intersect(reached);
        kept
    }

    /// The services of `reached` of which nobody is in `kept`.
    pub(super) fn left_without(&self, kept: &Selection, reached: &Selection) -> Vec<&ServiceKey> {
        let is_lost = |(_, positions): &(&ServiceKey, &Vec<usize>)| {
            positions.iter().all(|position| reached.contains(*position) && !kept.contains(*position))
        };
        self.by_service.iter().filter(is_lost).map(|(key, _)| key).collect()
    }

    /// The providers of one application as a list of their own.
    pub(super) fn list_of_application(&self, name: &str) -> Option<InvokerList> {
        let positions = self.by_application.get(name)?;
        let providers = positions.iter().filter_map(|position| self.list.provider(*position)).cloned().collect();
        Some(InvokerList::of(ServiceKey::new(None, keys::ANY, None), providers))
    }
}
