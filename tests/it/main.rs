//! The one integration binary.

mod rules_data;
mod rules_laws;
