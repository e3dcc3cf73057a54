/** The property of a request for its body as a framework has parsed it. Copies of this package share the symbol. */
const parsedBody = Symbol.for('wabakit.parsedBody')

/** Keeps a parsed body with the request that adapters create. */
export const keepParsedBody = (request: Request, body: unknown): void => {
  if (body !== undefined) Object.defineProperty(request, parsedBody, { value: body })
}

/** Returns the parsed body of a request, or `undefined`. */
export const findParsedBody = (request: Request): unknown => Reflect.get(request, parsedBody)
