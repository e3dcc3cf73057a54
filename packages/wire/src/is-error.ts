/**
 * Recognizes errors from any realm. `instanceof` fails for errors from another vm context, as in jsdom and
 * jest.
 */
export const isError = (value: unknown): value is Error =>
  /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
