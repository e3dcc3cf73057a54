/** One thing that the reference server must do, in whatever runtime. */
export type Case = { readonly name: string; run(): Promise<void> }

/** Cases by their sentences, under a heading. */
export const defineCases = (heading: string, cases: Readonly<Record<string, () => Promise<void>>>): Case[] =>
  Object.entries(cases).map(([sentence, run]) => ({ name: `${heading}: ${sentence}`, run }))
