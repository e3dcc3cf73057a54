import { Miniflare } from 'miniflare'
import { bundle } from './bundle.ts'
import type { Environment } from './checks/client.ts'

/** Checks the client in workerd, bundled as for Cloudflare Workers. */
export const checkInWorkerd = async (
  dir: string,
  environment: Omit<Environment, 'codes' | 'browser'>,
): Promise<string[]> => {
  const script = await bundle(
    `import { checkAll } from './checks/all.ts'
    export default {
      fetch: async () => {
        try {
          return Response.json({ passed: await checkAll(${JSON.stringify({ ...environment, codes: false, browser: false })}) })
        } catch (error) {
          return Response.json({ failed: String(error) })
        }
      },
    }`,
    dir,
  )
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01' })
  try {
    const response = await miniflare.dispatchFetch('http://worker/')
    const { passed, failed }: { passed?: string[]; failed?: string } = JSON.parse(await response.text())
    if (!passed) throw new Error(failed)
    return passed
  } finally {
    await miniflare.dispose()
  }
}
