/** Maximum size of the payloads that a page searches for a text, unless the first is larger: some 10 ms of the event loop. */
export const maxSearchedBytes = 4 * 1024 * 1024
