#!/bin/sh
# Runs the tests of the study page.
#   run.sh parts|page FOLDER WHY_NOT [ULNA]      FOLDER: the copy of web/ that the build made; WHY_NOT: why there is none
set -eu
what=$1 folder=$2 why_not=$3
if [ -n "$why_not" ]; then
  echo "skipped: $why_not"
  exit 77
fi
if [ ! -f "$folder/dist/report.js" ]; then
  echo "skipped: the script was not built (npm failed; see the build's output)"
  exit 77
fi
cd "$folder"
if [ "$what" = parts ]; then
  npm run --silent check
  exec npm run --silent test
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# A page takes half a minute; in `make soak` there are two.
for robot in stanford ${ULNA_SOAK:+torso}; do
  "$4" study "$robot" --out "$made/$robot" --samples 5 --peers off --self-test off 2> /dev/null
done
"$4" equations stanford --formulation kane-stanford --beside newton-euler --html --out "$made/equations.html"
npm run --silent test:page -- "$made"/*/index.html "$made/equations.html"
