"""The database: tables, transactions, migrations, the journal. One request is one transaction."""
