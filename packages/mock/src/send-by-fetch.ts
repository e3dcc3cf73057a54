/** Replaces `send.ts` in runtimes other than Node. */
export const send = (request: Request): Promise<Response> => globalThis.fetch(request)
