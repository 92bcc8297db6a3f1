declare module 'postject' {
  export function inject(file: string, name: string, content: Buffer, options: { sentinelFuse: string }): Promise<void>
}
