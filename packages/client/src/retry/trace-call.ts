import { type EndpointName, findTracingChannel } from '@wabakit/wire'
import type { ApiCall } from '../api-call.ts'

/** The message of the tracing channel `wabakit.client`: one call with all its attempts. */
export type CallTrace = {
  /** `groups.create` or `calls.getSummary`. */
  readonly endpoint: EndpointName
  /** HTTP method. */
  readonly method: string
  /** Path and query, relative to the base URL. */
  readonly path: string
  /** Headers that every attempt sends. A subscriber to `start` may add some, such as `traceparent`. */
  readonly headers: Record<string, string>
  /** The result, with its `response`: set when the call succeeds. */
  result?: unknown
  /** The error: set when the call fails. */
  error?: unknown
}

const channel = /* @__PURE__ */ findTracingChannel('wabakit.client')

/** Traces a call, if anybody subscribes to the channel. */
export const traceCall = <Data, Result>(
  call: ApiCall<Data>,
  work: (call: ApiCall<Data>) => Promise<Result>,
): Promise<Result> => {
  if (!channel?.hasSubscribers) return work(call)
  const { endpoint, method, path, options } = call
  const trace: CallTrace = { endpoint, method, path, headers: { ...options.headers } }
  return channel.tracePromise(() => work({ ...call, options: { ...options, headers: trace.headers } }), trace)
}
