import { Miniflare } from 'miniflare'
import { bundle } from './bundle.ts'
import type { Surroundings } from './checks/client.ts'

/** Runs the client's check in workerd, bundled as for Cloudflare Workers. */
export const checkInWorkerd = async (
  dir: string,
  around: Omit<Surroundings, 'codes' | 'browser'>,
  fromSources: boolean,
): Promise<string[]> => {
  const script = await bundle(
    `import { checkClient } from './checks/client.ts'
    export default {
      fetch: async () => {
        try {
          return Response.json({ kept: await checkClient(${JSON.stringify({ ...around, codes: false, browser: false })}) })
        } catch (error) {
          return Response.json({ broken: String(error) })
        }
      },
    }`,
    dir,
    fromSources,
  )
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01' })
  try {
    const response = await miniflare.dispatchFetch('http://worker/')
    const { kept, broken }: { kept?: string[]; broken?: string } = JSON.parse(await response.text())
    if (!kept) throw new Error(broken)
    return kept
  } finally {
    await miniflare.dispose()
  }
}
