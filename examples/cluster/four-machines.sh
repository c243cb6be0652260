#!/bin/sh
# Four machines by hand. The same arcbatt must be installed on each: pip install 'arcbatt[ray]==VERSION'
# (arcbatt[ray,cuda] where there are GPUs). Ports 6379 and 10002 to 19999 must be open between them.
set -eu

HEAD=${HEAD:-node1}
OTHERS=${OTHERS:-"node2 node3 node4"}
export RAY_USAGE_STATS_ENABLED=0

ssh "$HEAD" "RAY_USAGE_STATS_ENABLED=0 ray start --head --port 6379 --include-dashboard=false"
for node in $OTHERS; do
    ssh "$node" "RAY_USAGE_STATS_ENABLED=0 ray start --address $HEAD:6379"
done

# The driver runs on a machine of the cluster, here the first; it writes the record there.
ssh "$HEAD" "arcbatt run --ray $HEAD:6379 --out runs/four --quiet"

for node in $OTHERS $HEAD; do
    ssh "$node" "ray stop"
done
