/** For `ui` of a modal with a form or a plan. A description that is not shown is for screen readers. */
export const dialogShape = (width: string, isDescribed: boolean) => ({
  content: width,
  body: 'sm:p-5',
  header: 'min-h-0 py-4 sm:px-5',
  close: 'top-3',
  footer: 'sm:px-5 justify-end gap-2',
  title: 'text-[17px] tracking-[-0.012em]',
  description: isDescribed ? '' : 'sr-only',
})
