//! The hosts of a list, found by their addresses.

use std::cell::OnceCell;
use std::net::IpAddr;
use std::sync::Arc;

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
    /// The hosts that are addresses, in order, with their numbers in the column.
    addresses: OnceCell<Vec<(IpAddr, usize)>>,
}

// === impl Hosts ===

impl<'l> Hosts<'l> {
    pub(crate) fn of(list: &'l InvokerList) -> Self {
        Self { list, column: list.column(keys::HOST), addresses: OnceCell::new() }
    }

    pub(crate) const fn list(&self) -> &'l InvokerList {
        self.list
    }

    /// Adds the providers at the hosts that `pattern` means.
    pub(crate) fn add_to(&self, pattern: &HostPattern, positions: &mut Selection) {
        match pattern {
            HostPattern::Any => positions.unite(self.column.present()),
            HostPattern::Name(name) => {
                self.column.number(name).into_iter().for_each(|number| self.column.add_to(number, positions));
            }
            _ => {
                let fitting = self.near(pattern).iter().filter(|(ip, _)| pattern.is_ip(*ip));
                fitting.for_each(|(_, number)| self.column.add_to(*number, positions));
            }
        }
    }

    /// The addresses between the bounds of `pattern`; all of them where it has none.
    fn near(&self, pattern: &HostPattern) -> &[(IpAddr, usize)] {
        let addresses = self.addresses();
        let Some((lowest, highest)) = pattern.bounds() else { return addresses };
        let start = addresses.partition_point(|(ip, _)| *ip < lowest);
        let end = addresses.partition_point(|(ip, _)| *ip <= highest);
        addresses.get(start..end).unwrap_or_default()
    }

    fn addresses(&self) -> &[(IpAddr, usize)] {
        self.addresses.get_or_init(|| {
            let read = self.column.values().filter_map(|(number, host)| Some((ip_of(host)?, number)));
            let mut addresses: Vec<(IpAddr, usize)> = read.collect();
            addresses.sort_unstable();
            addresses
        })
    }
}
