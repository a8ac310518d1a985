//! The one integration binary.

mod rules_data;
mod rules_laws;
mod rules_oracle;
mod rules_text;
mod rules_walk;
