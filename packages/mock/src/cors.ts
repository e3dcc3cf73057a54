const anyOrigin = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }

/**
 * Lets pages of any origin call the public API on the mock's port, so that browser tests need no proxy. The real server
 * does not, because a page must not contain an API key. The control API refuses such pages itself.
 */
export const allowOrigins = async (
  request: Request,
  respond: (request: Request) => Promise<Response>,
): Promise<Response> => {
  const { method, headers } = request
  if (method === 'OPTIONS' && headers.has('access-control-request-method')) {
    const allowed = {
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
    }
    return new Response(null, { status: 204, headers: { ...anyOrigin, ...allowed } })
  }
  const response = await respond(request)
  if (!headers.has('origin')) return response
  const shared = new Headers(response.headers)
  for (const [name, value] of Object.entries(anyOrigin)) shared.set(name, value)
  return new Response(response.body, { status: response.status, headers: shared })
}
