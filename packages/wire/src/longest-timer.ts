/** The longest delay of a timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longestTimerMs = 2_147_483_647
