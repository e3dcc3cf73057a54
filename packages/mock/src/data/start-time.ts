/** When the virtual clock of a mock starts, and when the fixtures happen: 2026-01-01T10:00:00.000Z. */
export const startTime: number = Date.UTC(2026, 0, 1, 10)
