/** Replaces `send.ts` in runtimes without Node's modules, such as browsers. */
export const send = (request: Request): Promise<Response> => globalThis.fetch(request)
