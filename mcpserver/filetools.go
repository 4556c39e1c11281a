package mcpserver

import (
	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// What is put aside from long answers needs no switch; files that an agent asks for are
// listed only where the user lets it have files.
func fileTools() []*tool {
	return []*tool{
		onSession("download_file", policy.Download, "Download a file into the task's folder.", page.DownloadFile),
		onTab("upload_file", policy.Upload, "Give files to a file input, or to the chooser that the target opens.", page.UploadFile),
		onTab("print_pdf", policy.Download, "Print the page to a PDF file.", page.PrintPDF, idempotent),
	}
}
