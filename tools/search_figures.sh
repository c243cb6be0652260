#!/bin/sh
# The figures of docs/search.md, on a machine of 16 cores without network: `make carried` beforehand, then, from the root,
#     OUT=build/search-figures tools/search_figures.sh [development] [parts] [found] [bank] [growing] [evaluation]
# Nothing named: all but parts. JOBS, EVERY (every so manyeth task) and BACKENDS may be set, PYTHON too, which is then taken as
# it is, with arcbatt installed. Everything is printed and written under OUT as it is done.
#   development  curve, kept aside, leave-out table   about 3,500 core-seconds
#   parts        the leave-out table in less time, by the tasks that have a part in them; one process
#   found        every program found, run again on the backends
#   bank         images of the bank on the backends, and a search with each of them
#   growing      what is kept aside, with what was found in the other tasks as a library   about 130 core-seconds
#   evaluation   ARC-AGI-1 at 0.2, 1, 3, 10 s, ARC-AGI-2 at 3 s   about 4,400 core-seconds
set -u
JOBS=${JOBS:-16}
EVERY=${EVERY:-1}
BACKENDS=${BACKENDS:-cpu cuda}
OUT=${OUT:-build/search-figures}
mkdir -p build "$OUT"
if [ -z "${PYTHON:-}" ]; then
    make build/gpu/built >build/gpu-build.log 2>&1 || { tail build/gpu-build.log; exit 1; }
    PYTHON=python3
    export PYTHONPATH=src:build/carried
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
began=$(date +%s)
said() { echo; echo "## $* (after $(($(date +%s) - began)) s)"; }
bench() { "$PYTHON" -m arcbatt.devtools.bench.search --jobs "$JOBS" "$@" 2>>"$OUT/errors.txt"; }
each() { for backend in $BACKENDS; do printf ' --backend %s' "$backend"; done; }
phases=${*:-development found bank growing evaluation}
{
    for phase in $phases; do
        case $phase in
        development)
            said "four fifths of ARC-AGI-1 training"
            bench --every "$EVERY" --budget 0.05 --budget 0.2 --budget 0.5 --budget 1 --budget 3 --out "$OUT/curve"
            said "every fourth of them"
            bench --every $((4 * EVERY)) --budget 1 --budget 3 --budget 10 --out "$OUT/quarter"
            said "kept aside"
            bench --every "$EVERY" --aside --curve --out "$OUT/aside"
            said "every second of the four fifths, without each part"
            bench --every $((2 * EVERY)) --budget 0.5 --leave-out --out "$OUT/leave-out"
            ;;
        parts)
            said "what each part contributes at 0.2 s"
            "$PYTHON" -m arcbatt.devtools.bench.search_parts "$OUT/curve/arcagi-training-0.2-s"
            ;;
        found)
            said "programs found, run again"
            # shellcheck disable=SC2046
            "$PYTHON" -m arcbatt.devtools.found "$OUT/curve/arcagi-training-1-s" --attempts 2 $(each)
            ;;
        bank)
            for tier in 0 1; do
                said "images of tier $tier"
                # shellcheck disable=SC2046
                "$PYTHON" -m arcbatt.devtools.bench.bank --every "$EVERY" --tier $tier $(each)
            done
            for backend in $BACKENDS; do
                said "every fourth task, 1 s, images by $backend"
                [ "$backend" = cpu ] && many=$JOBS || many=1
                bench --every $((4 * EVERY)) --budget 1 --backend "$backend" --jobs "$many"
            done
            ;;
        growing)
            said "kept aside, without and with what was found in the other tasks"
            "$PYTHON" -c 'import sys; from pathlib import Path; from arcbatt.search.growing import keep_found; \
from arcbatt.search.record import read_solutions; record, library = map(Path, sys.argv[1:]); \
print(keep_found(library, read_solutions(record).values()), "programs")' \
                "$OUT/curve/arcagi-training-1-s" "$OUT/library.py"
            bench --every "$EVERY" --aside --budget 1 --library "$OUT/library.py" --out "$OUT/growing"
            ;;
        evaluation)
            said "ARC-AGI-1 evaluation"
            bench --dataset arcagi:evaluation --all --every "$EVERY" --budget 0.2 --budget 1 --budget 3 --budget 10 \
                --out "$OUT/evaluation"
            said "ARC-AGI-2 evaluation"
            bench --dataset arcagi2:evaluation --all --every "$EVERY" --budget 3 --out "$OUT/evaluation2"
            ;;
        *)
            echo "no part of the figures is called $phase"
            exit 1
            ;;
        esac
    done
    said "done"
} 2>&1 | tee -a "$OUT/figures.md"
