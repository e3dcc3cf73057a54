import { validate } from '@wabakit/contract'
import type * as z from 'zod/mini'
import { formatIssue } from '../errors/operation-errors.ts'
import { ControlError } from '../hosting/control-error.ts'
import type { RequestLog } from '../hosting/request-log.ts'
import type { ReferenceServer } from '../index.ts'
import type { ApiFaults, CallSimulator } from '../simulation/index.ts'
import type { MockControl } from './mock-control.ts'
import type { ServerInfo } from './schemas.ts'
import type { LiveStream } from './stream/live-stream.ts'
import type { WireAttempt } from './views/delivery.ts'

/** The groups of operations in the OpenAPI document. */
export const tags = {
  Overview: 'What happens over time, and where to find it.',
  Organizations: 'Customers of the service, with their API keys.',
  Numbers: 'The WhatsApp and telephone numbers of an organization.',
  Subscriptions: 'Requests to receive events at a URL.',
  Calls: 'Calls, step by step or simulated from start to summary.',
  Groups: 'Groups and their participants.',
  Events: 'What has happened, listed or as it happens.',
  Deliveries: 'Webhooks, their attempts, and resending them.',
  Erasure: 'Deleting what is stored about a call or a customer.',
  Faults: 'Failures that a test asks for.',
  Mock: 'What only the mock has, such as tenants, a virtual clock, waits and recordings.',
  Server: 'The server itself, the requests that it got, and the events that it has.',
} as const

/** The host of the control API, as its operations see it. */
export type ControlContext = {
  readonly service: ReferenceServer
  readonly simulation: Pick<CallSimulator, 'simulateCall' | 'findDueSummary'>
  readonly live: Pick<LiveStream, 'open' | 'wake'>
  readonly requests: RequestLog
  /** Returns the service's time, as Unix time in milliseconds. */
  readonly now: () => number
  readonly info: ServerInfo
  /** Faults of the public API. `undefined` on a server that was started without `sandbox`. */
  readonly faults?: ApiFaults | undefined
  /** `undefined` on a server. */
  readonly mock?: MockControl | undefined
  /** Returns whether a URL may get an event whose payload comes from a caller. Each attempt checks this again. */
  allowsCustomPayload(url: string): boolean
  /** Returns what was sent for an attempt, if this host can make that differ from the record. */
  readonly findWire?: ((deliveryId: string, number: number) => WireAttempt | undefined) | undefined
  /** The `user-agent` of webhooks whose subscription does not set one. */
  readonly userAgent: string
}

/** A part of the context that only some hosts have. Operations that need it exist only there. */
export type Ability = 'faults' | 'mock'

type ContextWith<Needed extends Ability> = ControlContext & {
  readonly [Name in Needed]: NonNullable<ControlContext[Name]>
}

type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** An operation of the control API, with the schemas that validate and describe it. */
export type Operation = {
  readonly id: string
  readonly summary: string
  readonly tag: keyof typeof tags
  /** What a host must be able to do for this operation; `undefined` if every host can. */
  readonly needs: Ability | undefined
  readonly method: Method
  /** The path below `/_wabakit`, with parameters as in `/organizations/:organizationId`. */
  readonly path: string
  readonly query: z.core.$ZodType | undefined
  readonly body: z.core.$ZodType | undefined
  /** The schema of the response body; `undefined` for status 204. */
  readonly result: z.core.$ZodType | undefined
  readonly status: 200 | 201 | 202 | 204
  /**
   * @param input - the parameters of the path and the query, and the parsed JSON of the body.
   * @throws typed errors of the core, or a ControlError.
   */
  run(input: Input<Texts, Texts, unknown>, context: ControlContext): Promise<unknown>
}

type Texts = Readonly<Record<string, string>>
type Input<Params, Query, Body> = { readonly params: Params; readonly query: Query; readonly body: Body }
type Output<Schema> = Schema extends z.core.$ZodType ? z.output<Schema> : undefined
type Result<Schema> = Schema extends z.core.$ZodType ? z.input<Schema> : unknown

type OperationDefinition<Path extends string, Query, Body, ResultSchema, Needed extends Ability> = {
  readonly id: string
  readonly summary: string
  readonly route: `${Method} ${Path}`
  readonly query?: Query
  readonly body?: Body
  readonly result?: ResultSchema
  /** @default 200, or 204 without a result */
  readonly status?: 201 | 202
  run(
    input: Input<Readonly<Record<ParameterOf<Path>, string>>, Output<Query>, Output<Body>>,
    context: ContextWith<Needed>,
  ): Promise<Result<ResultSchema>>
}

const parse = <Schema>(schema: Schema, value: unknown): Output<Schema> => {
  if (schema === undefined) return undefined as Output<Schema>
  const parsed = validate(schema as z.core.$ZodType, value)
  if (parsed.success) return parsed.data as Output<Schema>
  throw new ControlError('invalid_input', `${parsed.issues.map(formatIssue).join('; ')}.`, parsed)
}

/** Returns a function that defines an operation. Its schemas determine the types of the input and result of `run`. */
export const operationIn =
  <Needed extends Ability = never>(tag: keyof typeof tags, needs?: Needed) =>
  <
    Path extends string,
    Query extends z.core.$ZodType | undefined = undefined,
    Body extends z.core.$ZodType | undefined = undefined,
    ResultSchema extends z.core.$ZodType | undefined = undefined,
  >({
    route,
    query,
    body,
    result,
    status,
    run,
    ...facts
  }: OperationDefinition<Path, Query, Body, ResultSchema, Needed>): Operation => {
    const [method, path] = route.split(' ') as [Method, Path]
    return {
      ...facts,
      tag,
      needs,
      method,
      path,
      query,
      body,
      result,
      status: status ?? (result === undefined ? 204 : 200),
      // This function is asynchronous, so that invalid input rejects the promise instead of throwing.
      run: async ({ params, ...input }, context) =>
        run(
          { params, query: parse(query as Query, input.query), body: parse(body as Body, input.body) },
          // The control API runs an operation only if its host has what it needs.
          context as ContextWith<Needed>,
        ),
    }
  }
