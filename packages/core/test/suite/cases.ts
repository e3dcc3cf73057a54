/** A rule of the reference server, in any runtime. */
export type Case = { readonly name: string; run(): Promise<void> }

/** Defines cases by name, under a heading. */
export const defineCases = (heading: string, cases: Readonly<Record<string, () => Promise<void>>>): Case[] =>
  Object.entries(cases).map(([sentence, run]) => ({ name: `${heading}: ${sentence}`, run }))
