/** The used parts of a `TracingChannel` of node:diagnostics_channel. */
export type TracingChannel = {
  readonly hasSubscribers: boolean
  tracePromise<Result>(work: () => Promise<Result>, message: object): Promise<Result>
}

/** Returns the tracing channel of this name, in runtimes that have node:diagnostics_channel. */
export const findTracingChannel = (name: string): TracingChannel | undefined =>
  globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel?.(name)
