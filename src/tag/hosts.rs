//! The hosts of a list, found by their addresses.

use std::cell::OnceCell;
use std::net::IpAddr;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::router::Column;
use crate::router::InvokerList;
use crate::router::Selection;
use crate::rpc::keys;
use crate::tag::address::HostPattern;
use crate::tag::address::ip_of;

/// The hosts of a list; addresses are read once, whatever number of tags asks for them.
#[derive(Debug)]
pub(crate) struct Hosts<'l> {
    list: &'l InvokerList,
    column: Arc<Column>,
    /// The hosts that are addresses, by the numbers of the column.
    by_address: OnceCell<HashMap<IpAddr, Vec<usize>>>,
}

// === impl Hosts ===

impl<'l> Hosts<'l> {
    pub(crate) fn of(list: &'l InvokerList) -> Self {
        Self { list, column: list.column(keys::HOST), by_address: OnceCell::new() }
    }

    pub(crate) const fn list(&self) -> &'l InvokerList {
        self.list
    }

    /// Adds the providers at the hosts that `pattern` means.
    pub(crate) fn add_to(&self, pattern: &HostPattern, positions: &mut Selection) {
        match pattern {
            HostPattern::Any => positions.unite(self.column.present()),
            HostPattern::Name(name) => {
                self.column.number(name).into_iter().for_each(|number| self.add(number, positions))
            }
            HostPattern::Ip(ip) => {
                self.by_address().get(ip).into_iter().flatten().for_each(|number| self.add(*number, positions))
            }
            _ => {
                let fitting = self.column.values().filter(|(_, host)| ip_of(host).is_some_and(|ip| pattern.is_ip(ip)));
                fitting.for_each(|(number, _)| self.add(number, positions));
            }
        }
    }

    fn add(&self, number: usize, positions: &mut Selection) {
        self.column.add_to(number, positions);
    }

    fn by_address(&self) -> &HashMap<IpAddr, Vec<usize>> {
        self.by_address.get_or_init(|| {
            let mut by_address: HashMap<IpAddr, Vec<usize>> = HashMap::new();
            for (number, host) in self.column.values() {
                if let Some(ip) = ip_of(host) {
                    by_address.entry(ip).or_default().push(number);
                }
            }
            by_address
        })
    }
}
