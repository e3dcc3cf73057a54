/**
 * Rejects if the name servers do not answer for the host of a URL. Other failures pass: the system may know a name from elsewhere.
 *
 * @throws NameNotResolvedError
 */
export const checkNameServer = async (url: string): Promise<void> => {
  const { checkName, NameNotResolvedError } = await import('@wabakit/webhooks/names')
  await checkName(url).catch((error: unknown) => {
    if (error instanceof NameNotResolvedError && error.code === 'ETIMEOUT') throw error
  })
}
