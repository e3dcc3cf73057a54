/**
 * Formats changelog entries: the text of each changeset, and one line with the versions of our packages that a package
 * needs.
 */
export default {
  getReleaseLine: async ({ summary }: { readonly summary: string }): Promise<string> =>
    `- ${summary.trim().replaceAll('\n', '\n  ').replaceAll(/ +$/gm, '')}`,
  getDependencyReleaseLine: async (
    _: unknown,
    updated: readonly { readonly name: string; readonly newVersion: string }[],
  ): Promise<string> =>
    updated.length === 0
      ? ''
      : `- Needs ${updated.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`).join(', ')}.`,
}
