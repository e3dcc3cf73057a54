import { requireFound } from '../hosting/control-error.ts'
import { controlBodyMaxBytes } from '../hosting/control-requests.ts'
import { readJson } from '../http/exchange.ts'
import { toApiRequest } from '../http/fetch.ts'
import type { ControlContext, Operation } from './operation.ts'

const hasBody = ({ headers }: Request): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0

/** A request for an operation, with the parameters of its path and query. @inline */
type OperationRequest = {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/**
 * Runs an operation. Returns the status and the JSON of the response, whose body is empty with status 204.
 *
 * @throws typed errors, for `toErrorResponse`.
 */
export const runOperation = async (
  { path, body: schema, status, run }: Operation,
  { request, params, query, ...context }: OperationRequest & ControlContext,
): Promise<{ readonly status: Operation['status']; readonly body: string }> => {
  if (path.startsWith('/organizations/:')) {
    const { organizationId: id = '' } = params
    requireFound(await context.service.organizations.find(id), 'organization', id)
  }
  // The body is optional. Rejects media types other than JSON, because other sites' pages can send them.
  const body =
    schema !== undefined && hasBody(request) ? await readJson(toApiRequest(request), controlBodyMaxBytes) : {}
  const result = await run({ params, query, body }, context)
  return { status, body: status === 204 ? '' : JSON.stringify(result) }
}
