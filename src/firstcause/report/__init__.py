"""Report: diagnosis -> one JSON document (the contract), rendered for a terminal, as Markdown or as JSON."""
