import type { ReferenceServer } from '@wabakit/core'
import type { ApiFaults } from '@wabakit/core/simulation'
import type * as z from 'zod/mini'
import type { Simulation } from '../simulation/create-simulation.ts'
import type { LiveStream } from './live-stream.ts'
import { parseInput } from './parse-input.ts'

/** What operations work with. */
export type ControlContext = {
  readonly service: ReferenceServer
  readonly simulation: Simulation
  readonly live: LiveStream
  /** Absent unless the server was started with `mock`. */
  readonly faults: ApiFaults | undefined
}

type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Facts<Path extends string> = {
  /** Unique; for generated clients. */
  readonly id: string
  readonly method: Method
  /** Below `/_wabakit`, with parameters as in `/organizations/:organizationId`. */
  readonly path: Path
  readonly summary: string
  readonly tag: string
}

/** What somebody asks: parameters of the path, the query, and the body as parsed JSON. */
export type OperationInput = {
  readonly parameter: (name: string) => string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** One thing that the control API can do, with the schemas that check and describe it. */
export type Operation = Facts<string> & {
  readonly query: z.core.$ZodType | undefined
  readonly body: z.core.$ZodType | undefined
  /** Of the answer's body; none with status 204. */
  readonly result: z.core.$ZodType | undefined
  readonly status: 200 | 201 | 202 | 204
  /** @throws typed errors of the core, or a `ControlError`. */
  run(input: OperationInput, context: ControlContext): Promise<unknown>
}

type Parsed<Schema> = Schema extends z.core.$ZodType ? z.output<Schema> : undefined
type Answer<Schema> = Schema extends z.core.$ZodType ? z.input<Schema> : unknown

/** An operation as it is written down: its schemas give the types of what `run` gets and answers. */
export type OperationDefinition<Path extends string, Query, Body, Result> = Facts<Path> & {
  readonly query?: Query
  readonly body?: Body
  readonly result?: Result
  /** @default 200, or 204 without a result */
  readonly status?: 201 | 202
  run(
    input: {
      readonly parameter: (name: ParameterOf<Path>) => string
      readonly query: Parsed<Query>
      readonly body: Parsed<Body>
    },
    context: ControlContext,
  ): Promise<Answer<Result>>
}

const parsed = <Schema>(schema: Schema, value: unknown): Parsed<Schema> =>
  (schema === undefined ? undefined : parseInput(schema as z.core.$ZodType, value)) as Parsed<Schema>

/** Defines an operation. */
export const operation = <
  const Path extends string,
  Query extends z.core.$ZodType | undefined = undefined,
  Body extends z.core.$ZodType | undefined = undefined,
  Result extends z.core.$ZodType | undefined = undefined,
>(
  definition: OperationDefinition<Path, Query, Body, Result>,
): Operation => {
  const { id, method, path, summary, tag, query, body, result, status } = definition
  return {
    id,
    method,
    path,
    summary,
    tag,
    query,
    body,
    result,
    status: status ?? (result === undefined ? 204 : 200),
    run: ({ parameter, ...given }, context) =>
      definition.run(
        { parameter, query: parsed(query as Query, given.query), body: parsed(body as Body, given.body) },
        context,
      ),
  }
}
