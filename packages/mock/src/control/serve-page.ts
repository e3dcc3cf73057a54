type Page = {
  servePage(path: string): Promise<Response>
  /** Creates the file of a trace, which is passed gzipped and in base64. */
  createTracePage(trace: string): Promise<string>
}

/** Not a dependency: the mock serves the page if the user has installed it. */
export const pagePackage = '@wabakit/server'

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'

/** Loads the files of the page; `undefined` if they are not installed. */
export const loadPage = async (from: string): Promise<Page | undefined> => {
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ `${from}/page`)
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

/** Serves a file of the page that shows what happened, or says how to install the page. */
export const servePage = async (path: string, from: string = pagePackage): Promise<Response> => {
  const page = await loadPage(from)
  if (page !== undefined) return page.servePage(path)
  const text = `The page is part of ${from}, which is not installed. Run: npm install --save-dev ${from}\n`
  return new Response(text, { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
