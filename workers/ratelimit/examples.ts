/** Requests and the answers of the service to them, as recorded one after another from its first start. */

import type { Json } from '#base/json.ts'

/** One request with its answer. */
export interface Example {
  /** The operation's. */
  readonly id: string
  readonly method: string
  /** With the query. */
  readonly path: string
  /** A JSON value, or text of another type; absent without a body. */
  readonly body?: Json
  readonly status: number
  /** The same. */
  readonly answer?: Json
}

/** Every example; the document shows the first of an operation. */
export const examples: readonly Example[] = [
  {
    id: 'readUsage',
    method: 'GET',
    path: '/ratelimit/v1/usage?domain=shop&from=1767225600&to=1767225660',
    status: 200,
    answer: { from: 1767225600, to: 1767225660, step: 3600, since: null, rows: [], fills: [] },
  },
  {
    id: 'readTop',
    method: 'GET',
    path: '/ratelimit/v1/top?domain=shop&from=1767225600&limit=3',
    status: 200,
    answer: { from: 1767225600, used: [], refused: [] },
  },
  {
    id: 'drawTicket',
    method: 'POST',
    path: '/ratelimit/v1/events/ticket',
    status: 200,
    answer: { ticket: '0f3a2b1c4d5e6f708192a3b4c5d6e7f8', expires_in: 60 },
  },
  {
    id: 'judgeFiles',
    method: 'POST',
    path: '/ratelimit/v1/what-if',
    body: {
      files: {
        'config.shop.yaml':
          'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
      },
    },
    status: 200,
    answer: {
      sampled: 0,
      requests: 0,
      from: 0,
      to: 0,
      was: { admitted: 0, refused: 0 },
      would: { admitted: 0, refused: 0 },
      changed: [],
      changedRequests: 0,
    },
  },
  {
    id: 'listPaths',
    method: 'GET',
    path: '/ratelimit/',
    status: 200,
    answer:
      '/config/check: compile and compare a set of files, changing nothing (POST)\n/config/files/{key}: one file (GET, PUT, DELETE)\n/config/files: the files of the running revision (GET), or replace them all (PUT)\n/config/revisions/{revision}: the files of a kept revision\n/config/rollback: make a new revision of a kept one (POST)\n/config: revisions of the configuration and the last refused change\n/counters: read (GET), forget (DELETE) or block (PUT) the counter of a key or a descriptor\n/debug/pprof/: profiles of the runtime, with npm start\n/explain: how a request would be decided and why, counting nothing (POST)\n/metrics: statistics in the Prometheus text format\n/openapi.json: this interface in OpenAPI 3.1, without a token\n/rlconfig: print out the currently loaded configuration for debugging\n/stats: print out stats\n/v1/events/ticket: a ticket that opens the event stream once (POST)\n/v1/events: decisions as they happen, as Server-Sent Events\n/v1/top: the keys with the most decisions and the most refusals\n/v1/usage: what was decided over time, by domain and rule\n/v1/what-if: what these rules would have decided about sampled requests (POST)\n',
  },
  {
    id: 'profile',
    method: 'GET',
    path: '/ratelimit/debug/pprof/heap',
    status: 501,
    answer:
      'There are no profiles here: a Worker cannot profile itself. In a deployment the dashboard of the platform and "wrangler dev" have a profiler; /stats and /metrics count what the service does\n',
  },
  {
    id: 'checkFiles',
    method: 'POST',
    path: '/ratelimit/config/check',
    body: {
      files: {
        'config.shop.yaml':
          'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
      },
    },
    status: 200,
    answer: {
      revision: 0,
      changes: {
        files: {
          added: ['config.shop.yaml'],
          changed: [],
          removed: [],
        },
        rules: [
          {
            change: 'added',
            key: 'shop',
            before: null,
            after: 'domain',
            losesCounters: false,
          },
          {
            change: 'added',
            key: 'shop.user',
            before: null,
            after: 'unit=MONTH requests_per_unit=100, shadow_mode: false, quota_mode: false',
            losesCounters: false,
          },
        ],
      },
    },
  },
  {
    id: 'replaceFiles',
    method: 'PUT',
    path: '/ratelimit/config/files',
    body: {
      files: {
        'config.shop.yaml':
          'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
      },
    },
    status: 200,
    answer: {
      revision: 1,
      changes: {
        files: {
          added: ['config.shop.yaml'],
          changed: [],
          removed: [],
        },
        rules: [
          {
            change: 'added',
            key: 'shop',
            before: null,
            after: 'domain',
            losesCounters: false,
          },
          {
            change: 'added',
            key: 'shop.user',
            before: null,
            after: 'unit=MONTH requests_per_unit=100, shadow_mode: false, quota_mode: false',
            losesCounters: false,
          },
        ],
      },
    },
  },
  {
    id: 'putFile',
    method: 'PUT',
    path: '/ratelimit/config/files/config.api.yaml',
    body: 'domain: api\ndescriptors:\n  - key: route\n    value: export\n    rate_limit:\n      unit: day\n      requests_per_unit: 20\n',
    status: 200,
    answer: {
      revision: 2,
      changes: {
        files: {
          added: ['config.api.yaml'],
          changed: [],
          removed: [],
        },
        rules: [
          {
            change: 'added',
            key: 'api',
            before: null,
            after: 'domain',
            losesCounters: false,
          },
          {
            change: 'added',
            key: 'api.route_export',
            before: null,
            after: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
            losesCounters: false,
          },
        ],
      },
    },
  },
  {
    id: 'decide',
    method: 'POST',
    path: '/json',
    body: {
      domain: 'shop',
      descriptors: [
        {
          entries: [
            {
              key: 'user',
              value: 'ann',
            },
          ],
        },
      ],
    },
    status: 200,
    answer: {
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: {
            requestsPerUnit: 100,
            unit: 'MONTH',
          },
          limitRemaining: 99,
          durationUntilReset: '914807s',
        },
      ],
    },
  },
  {
    id: 'decide',
    method: 'POST',
    path: '/json',
    body: {
      domain: 'shop',
      descriptors: [
        {
          entries: [
            {
              key: 'user',
              value: 'ann',
            },
          ],
        },
      ],
      hitsAddend: 100,
    },
    status: 429,
    answer: {
      overallCode: 'OVER_LIMIT',
      statuses: [
        {
          code: 'OVER_LIMIT',
          currentLimit: {
            requestsPerUnit: 100,
            unit: 'MONTH',
          },
          durationUntilReset: '914807s',
        },
      ],
    },
  },
  {
    id: 'checkHealth',
    method: 'GET',
    path: '/healthcheck',
    status: 200,
    answer: 'OK',
  },
  {
    id: 'explainRequest',
    method: 'POST',
    path: '/ratelimit/explain',
    body: {
      domain: 'shop',
      descriptors: [
        {
          entries: [
            {
              key: 'user',
              value: 'ann',
            },
          ],
        },
      ],
    },
    status: 200,
    answer: {
      descriptors: [
        {
          descriptor: {
            entries: [
              {
                key: 'user',
                value: 'ann',
              },
            ],
          },
          levels: [
            {
              entry: {
                key: 'user',
                value: 'ann',
              },
              trials: [
                {
                  kind: 'exact',
                  pattern: 'user_ann',
                  isTaken: false,
                },
                {
                  kind: 'bare',
                  pattern: 'user',
                  isTaken: true,
                },
              ],
            },
          ],
          outcome: 'limit of the last rule',
          rule: 'shop.user',
          counter: {
            key: 'shop_user_ann_',
            hits: 101,
            secondsUntilReset: 914807,
            addend: 1,
          },
          status: {
            code: 'OVER_LIMIT',
            currentLimit: {
              requestsPerUnit: 100,
              unit: 'MONTH',
            },
            limitRemaining: 0,
            secondsUntilReset: 914807,
          },
        },
      ],
      response: {
        overallCode: 'OVER_LIMIT',
        statuses: [
          {
            code: 'OVER_LIMIT',
            currentLimit: {
              requestsPerUnit: 100,
              unit: 'MONTH',
            },
            limitRemaining: 0,
            secondsUntilReset: 914807,
          },
        ],
        responseHeadersToAdd: [],
      },
    },
  },
  {
    id: 'readCounter',
    method: 'GET',
    path: '/ratelimit/counters?domain=shop&entry=user=ann',
    status: 200,
    answer: {
      key: 'shop_user_ann_',
      counters: [
        {
          unit: 'MONTH',
          hits: 101,
          windowStart: 1793664000,
          secondsUntilReset: 914807,
        },
      ],
      blockedUntil: null,
    },
  },
  {
    id: 'blockCounter',
    method: 'PUT',
    path: '/ratelimit/counters?key=shop_user_ann_&seconds=600',
    status: 200,
    answer: {
      key: 'shop_user_ann_',
      counters: [
        {
          unit: 'MONTH',
          hits: 101,
          windowStart: 1793664000,
          secondsUntilReset: 914807,
        },
      ],
      blockedUntil: 1795341793,
    },
  },
  {
    id: 'resetCounter',
    method: 'DELETE',
    path: '/ratelimit/counters?key=shop_user_ann_',
    status: 200,
    answer: {
      key: 'shop_user_ann_',
      forgotten: {
        counters: [
          {
            unit: 'MONTH',
            hits: 101,
            windowStart: 1793664000,
            secondsUntilReset: 914807,
          },
        ],
        blockedUntil: 1795341793,
      },
    },
  },
  {
    id: 'printRules',
    method: 'GET',
    path: '/ratelimit/rlconfig',
    status: 200,
    answer:
      'api.route_export: unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false\nshop.user: unit=MONTH requests_per_unit=100, shadow_mode: false, quota_mode: false\n',
  },
  {
    id: 'printStats',
    method: 'GET',
    path: '/ratelimit/stats',
    status: 200,
    answer:
      'ratelimit.service.config_load_success: 2\nratelimit.service.rate_limit.shop.user.near_limit: 20\nratelimit.service.rate_limit.shop.user.over_limit: 1\nratelimit.service.rate_limit.shop.user.total_hits: 101\nratelimit.service.rate_limit.shop.user.within_limit: 1\n',
  },
  {
    id: 'printMetrics',
    method: 'GET',
    path: '/ratelimit/metrics',
    status: 200,
    answer:
      '# HELP ratelimit_service_config_load_success Configurations that were taken\n# TYPE ratelimit_service_config_load_success counter\nratelimit_service_config_load_success 2\n# HELP ratelimit_service_rate_limit_near_limit Hits above NEAR_LIMIT_RATIO of a limit and not beyond it\n# TYPE ratelimit_service_rate_limit_near_limit counter\nratelimit_service_rate_limit_near_limit{domain="shop",key1="user"} 20\n# HELP ratelimit_service_rate_limit_over_limit Hits beyond a limit\n# TYPE ratelimit_service_rate_limit_over_limit counter\nratelimit_service_rate_limit_over_limit{domain="shop",key1="user"} 1\n# HELP ratelimit_service_rate_limit_total_hits Hits on a limit\n# TYPE ratelimit_service_rate_limit_total_hits counter\nratelimit_service_rate_limit_total_hits{domain="shop",key1="user"} 101\n# HELP ratelimit_service_rate_limit_within_limit Hits that a limit let pass\n# TYPE ratelimit_service_rate_limit_within_limit counter\nratelimit_service_rate_limit_within_limit{domain="shop",key1="user"} 1\n',
  },
  {
    id: 'readFiles',
    method: 'GET',
    path: '/ratelimit/config/files',
    status: 200,
    answer: {
      revision: 2,
      files: [
        {
          key: 'config.api.yaml',
          text: 'domain: api\ndescriptors:\n  - key: route\n    value: export\n    rate_limit:\n      unit: day\n      requests_per_unit: 20\n',
        },
        {
          key: 'config.shop.yaml',
          text: 'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
        },
      ],
    },
  },
  {
    id: 'readFile',
    method: 'GET',
    path: '/ratelimit/config/files/config.shop.yaml',
    status: 200,
    answer:
      'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
  },
  {
    id: 'readRevision',
    method: 'GET',
    path: '/ratelimit/config/revisions/1',
    status: 200,
    answer: {
      revision: 1,
      files: [
        {
          key: 'config.shop.yaml',
          text: 'domain: shop\ndescriptors:\n  - key: user\n    rate_limit:\n      unit: month\n      requests_per_unit: 100\n',
        },
      ],
    },
  },
  {
    id: 'removeFile',
    method: 'DELETE',
    path: '/ratelimit/config/files/config.api.yaml',
    status: 200,
    answer: {
      revision: 3,
      changes: {
        files: {
          added: [],
          changed: [],
          removed: ['config.api.yaml'],
        },
        rules: [
          {
            change: 'removed',
            key: 'api',
            before: 'domain',
            after: null,
            losesCounters: false,
          },
          {
            change: 'removed',
            key: 'api.route_export',
            before: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
            after: null,
            losesCounters: true,
          },
        ],
      },
    },
  },
  {
    id: 'rollBack',
    method: 'POST',
    path: '/ratelimit/config/rollback',
    body: {
      revision: 2,
    },
    status: 200,
    answer: {
      revision: 4,
      changes: {
        files: {
          added: ['config.api.yaml'],
          changed: [],
          removed: [],
        },
        rules: [
          {
            change: 'added',
            key: 'api',
            before: null,
            after: 'domain',
            losesCounters: false,
          },
          {
            change: 'added',
            key: 'api.route_export',
            before: null,
            after: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
            losesCounters: false,
          },
        ],
      },
    },
  },
  {
    id: 'readStatus',
    method: 'GET',
    path: '/ratelimit/config',
    status: 200,
    answer: {
      revision: 4,
      revisions: [
        {
          revision: 4,
          at: 1795341193765,
          who: 'operator',
          changes: {
            files: {
              added: ['config.api.yaml'],
              changed: [],
              removed: [],
            },
            rules: [
              {
                change: 'added',
                key: 'api',
                before: null,
                after: 'domain',
                losesCounters: false,
              },
              {
                change: 'added',
                key: 'api.route_export',
                before: null,
                after: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
                losesCounters: false,
              },
            ],
          },
        },
        {
          revision: 3,
          at: 1795341193732,
          who: 'operator',
          changes: {
            files: {
              added: [],
              changed: [],
              removed: ['config.api.yaml'],
            },
            rules: [
              {
                change: 'removed',
                key: 'api',
                before: 'domain',
                after: null,
                losesCounters: false,
              },
              {
                change: 'removed',
                key: 'api.route_export',
                before: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
                after: null,
                losesCounters: true,
              },
            ],
          },
        },
        {
          revision: 2,
          at: 1795341193110,
          who: 'operator',
          changes: {
            files: {
              added: ['config.api.yaml'],
              changed: [],
              removed: [],
            },
            rules: [
              {
                change: 'added',
                key: 'api',
                before: null,
                after: 'domain',
                losesCounters: false,
              },
              {
                change: 'added',
                key: 'api.route_export',
                before: null,
                after: 'unit=DAY requests_per_unit=20, shadow_mode: false, quota_mode: false',
                losesCounters: false,
              },
            ],
          },
        },
        {
          revision: 1,
          at: 1795341192989,
          who: 'operator',
          changes: {
            files: {
              added: ['config.shop.yaml'],
              changed: [],
              removed: [],
            },
            rules: [
              {
                change: 'added',
                key: 'shop',
                before: null,
                after: 'domain',
                losesCounters: false,
              },
              {
                change: 'added',
                key: 'shop.user',
                before: null,
                after: 'unit=MONTH requests_per_unit=100, shadow_mode: false, quota_mode: false',
                losesCounters: false,
              },
            ],
          },
        },
      ],
      lastError: null,
      isolate: {
        revision: 4,
        checkedMsAgo: 15,
      },
    },
  },
]
