/**
 * Creates a request that has arrived, with all of its headers. The class of a DOM, such as happy-dom's, drops those that a
 * page may not send, among them `host`, `origin` and `cookie`.
 */
export const receiveRequest = (url: string, init: RequestInit & { readonly headers: Headers }): Request => {
  const request = new Request(url, init)
  const { headers } = init
  // Looks for one of them, because comparing all would take 5 µs.
  const isWhole = request.headers.has('host') || !headers.has('host')
  return isWhole ? request : Object.defineProperty(request, 'headers', { value: headers })
}
