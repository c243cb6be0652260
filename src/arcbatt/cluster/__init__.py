"""Work done by a Ray cluster: `connection` (to it), `crew` (its workers, and work handed to them), `actor` (a worker).

Ray is imported when a cluster is asked for, and by no other module.
"""
