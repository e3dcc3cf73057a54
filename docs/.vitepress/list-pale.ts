/** An opaque color: red, green and blue from 0 to 255. */
type Color = readonly number[]

/**
 * Lists texts of a page that stay below the contrast that WCAG 2.2 demands at level AA: 4.5, or 3 for large letters. It runs
 * in the browser, so it may use nothing from outside.
 */
export const listPale = (): string[] => {
  const white: Color = [255, 255, 255]

  const blend = (text: string, below: Color, opacity = 1): Color => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = text.match(/[\d.]+/g)?.map(Number) ?? []
    const share = alpha * opacity
    return [red, green, blue].map((part, index) => part * share + (below[index] ?? 0) * (1 - share))
  }
  // Most texts of a page share their ancestors.
  const backgrounds = new Map<Element, Color>()
  const findBackground = (element: Element | null): Color => {
    if (element === null) return white
    const found = backgrounds.get(element)
    if (found !== undefined) return found
    const background = blend(getComputedStyle(element).backgroundColor, findBackground(element.parentElement))
    backgrounds.set(element, background)
    return background
  }
  const opacities = new Map<Element, number>()
  const findOpacity = (element: Element | null): number => {
    if (element === null) return 1
    const opacity =
      opacities.get(element) ?? Number(getComputedStyle(element).opacity) * findOpacity(element.parentElement)
    opacities.set(element, opacity)
    return opacity
  }

  const getLuminance = (color: Color): number => {
    const [red = 0, green = 0, blue = 0] = color.map((part) => {
      const value = part / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const compare = (one: Color, other: Color): number => {
    const [dark = 0, light = 0] = [getLuminance(one), getLuminance(other)].toSorted((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }

  const pale = new Set<string>()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: node } = texts
    const element = node.parentElement
    const isSeen = element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    if (element === null || !isSeen || !node.nodeValue?.trim()) continue
    const style = getComputedStyle(element)
    const background = findBackground(element)
    const color = element instanceof SVGElement ? style.fill : style.webkitTextFillColor
    const size = Number.parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    const contrast = compare(blend(color, background, findOpacity(element)), background)
    if (contrast >= (isLarge ? 3 : 4.5)) continue
    pale.add(
      `${contrast.toFixed(2)} <${element.localName} class="${element.getAttribute('class') ?? ''}"> ${color}`,
    )
  }
  return [...pale]
}
