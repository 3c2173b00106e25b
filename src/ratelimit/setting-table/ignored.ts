/** Settings of the reference that have no effect here, each with the reason. */

/** Names that a start accepts and does not read, so that any value of them passes. */
export const ignoredSettings: readonly { readonly why: string; readonly names: readonly string[] }[] = [
  {
    why: 'without effect in the reference as well, which gives it to a retry that is switched off',
    names: ['CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL'],
  },
  {
    why: 'gateways set it and the reference does not read it; GRPC_CLIENT_TLS_CACERT asks clients for certificates',
    names: ['GRPC_SERVER_TLS_CA_CERT'],
  },
  {
    why: 'the pipelines of one request always run in parallel',
    names: bothSpellings('CLUSTER_PIPELINE_PARALLELISM', 'PERSECOND_CLUSTER_PIPELINE_PARALLELISM'),
  },
  {
    why: 'a connection carries many requests at once, so the pool is never empty',
    names: bothSpellings('POOL_ON_EMPTY_BEHAVIOR', 'PERSECOND_POOL_ON_EMPTY_BEHAVIOR'),
  },
  {
    why: 'a Worker starts without waiting for the store',
    names: bothSpellings('STARTUP_INITIAL_INTERVAL', 'STARTUP_MAX_INTERVAL', 'STARTUP_MAX_ELAPSED_TIME'),
  },
  { why: 'both stores are held by the same REDIS_POOL_SIZE objects', names: bothSpellings('PERSECOND_POOL_SIZE') },
  {
    why: 'OTEL_EXPORTER_OTLP_ENDPOINT and its companions send traces instead',
    names: [
      'TRACING_SERVICE_NAME',
      'TRACING_SERVICE_NAMESPACE',
      'TRACING_SERVICE_INSTANCE_ID',
      'TRACING_EXPORTER_PROTOCOL',
      'TRACING_SAMPLING_RATE',
    ],
  },
]

function bothSpellings(...ends: readonly string[]): readonly string[] {
  return ends.flatMap((end) => [`REDIS_${end}`, `KVSTORE_${end}`])
}
