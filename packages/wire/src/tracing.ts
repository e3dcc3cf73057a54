/** The parts of node:diagnostics_channel's `TracingChannel` that are used here. */
export type TracingChannel = {
  readonly hasSubscribers: boolean
  subscribe(listeners: { asyncEnd(message: object): void }): void
  unsubscribe(listeners: { asyncEnd(message: object): void }): void
  tracePromise<Result>(work: () => Promise<Result>, message: object): Promise<Result>
}

/** Returns the channel with this name; `undefined` in runtimes without node:diagnostics_channel. */
export const findChannel = (
  name: string,
): { subscribe(listener: (message: unknown) => void): void } | undefined =>
  globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')?.channel?.(name)

/** Returns the tracing channel with this name; `undefined` in runtimes without node:diagnostics_channel. */
export const findTracingChannel = (name: string): TracingChannel | undefined =>
  globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel?.(name)
