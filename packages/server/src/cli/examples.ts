/** Examples of a command, as its help shows them. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ wabakit ${line}`).join('\n')}`
