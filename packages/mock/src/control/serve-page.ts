type Page = { servePage(path: string): Promise<Response> }

/** Not a dependency: the mock serves the page if the user has installed it. */
const pagePackage = '@wabakit/server'

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'

/** Serves a file of the page that shows what happened, or says how to install the page. */
export const servePage = async (path: string, from: string = pagePackage): Promise<Response> => {
  try {
    const page: Page = await import(/* @vite-ignore */ /* webpackIgnore: true */ `${from}/page`)
    return await page.servePage(path)
  } catch (error) {
    if (!isMissing(error)) throw error
    const text = `The page is part of ${from}, which is not installed. Run: npm install --save-dev ${from}\n`
    return new Response(text, { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  }
}
