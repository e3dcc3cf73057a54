/** Responds to each question that the test sends to this process with a number. */
export const answer = (answers: Readonly<Record<string, () => number>>): void => {
  process.on('message', (question: unknown) => process.send?.(answers[String(question)]?.() ?? Number.NaN))
  // The channel must not keep the server running.
  process.channel?.unref()
}
