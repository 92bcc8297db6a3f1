/** Sends traces to the operator's collector. Loaded only when there is one: the SDK costs a third of a second. */
export async function startTelemetry(endpoint: string, serviceName: string): Promise<() => Promise<void>> {
  if (endpoint === '') return async () => {}
  const [{ NodeSDK }, { OTLPTraceExporter }, { PgInstrumentation }, { UndiciInstrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/instrumentation-undici'),
  ])
  const sdk = new NodeSDK({
    serviceName,
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    instrumentations: [new PgInstrumentation(), new UndiciInstrumentation()],
  })
  sdk.start()
  return () => sdk.shutdown()
}
