#!/bin/sh
# Asks a running service (npm start) seven times whether one account may log in; the rule in config/shop.yaml allows
# five times a minute. Prints 200 five times, then 429 twice, unless the minute turns in between.
url="${1:-http://127.0.0.1:8080}"
account="account-$$"
for attempt in 1 2 3 4 5 6 7; do
  curl -s -o /dev/null -w '%{http_code}\n' "$url/json" \
    -d "{\"domain\": \"shop\", \"descriptors\": [{\"entries\": [{\"key\": \"login\", \"value\": \"$account\"}]}]}"
done
