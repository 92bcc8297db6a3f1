/** Each has a page of its own: `console.html`, `portal.html`, `download.html`. */
export const doors = ['console', 'portal', 'download'] as const
