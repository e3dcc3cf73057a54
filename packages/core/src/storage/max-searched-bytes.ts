/**
 * Maximum size of the payloads that one page of a text search examines, unless the first is larger. It blocks the event
 * loop for about 10 ms.
 */
export const maxSearchedBytes = 4 * 1024 * 1024
