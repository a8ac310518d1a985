//! `pocketknight network`: what network files hold.

use super::{Failure, print};
use crate::cli::NetworkCommand;
use pocketknight::eval_file;
use std::path::Path;

pub(crate) fn run(command: &NetworkCommand) -> Result<(), Failure> {
    match command {
        NetworkCommand::Info { file } => info(file),
    }
}

fn info(file: &Path) -> Result<(), Failure> {
    let network = eval_file::load(file).map_err(Failure::usage)?;
    let architecture = network.architecture();
    print(&format!(
        "architecture  {architecture}\n\
         label         {}\n\
         checksum      {:08x}\n\
         parameters    {}\n\
         king buckets  {}\n\
         heads         {}\n",
        network.label(),
        network.checksum(),
        architecture.parameters(),
        architecture.king_buckets,
        architecture.heads,
    ))
}
