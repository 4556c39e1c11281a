package wire

import "chrome-mcp/internal/policy"

// CDPMethods is the whole list of DevTools commands that a server may send, each with
// the access that the gate asks for. What is not here is refused: above all, code of
// the server's choosing runs in a page only where the user switched eval on.
//
// Commands with a URL among their parameters (Page.navigate) are judged by it too, and
// those about a node only reach nodes of the frame they name.
var CDPMethods = map[string]policy.Access{
	"DOM.getBoxModel":       policy.Read,
	"DOM.getFrameOwner":     policy.Read,
	"DOM.setFileInputFiles": policy.Upload,

	"Input.dispatchDragEvent":  policy.Act,
	"Input.dispatchKeyEvent":   policy.Act,
	"Input.dispatchMouseEvent": policy.Act,
	"Input.insertText":         policy.Act,
	"Input.setInterceptDrags":  policy.Act,

	"Log.disable":                policy.Observe,
	"Log.enable":                 policy.Observe,
	"Log.startViolationsReport":  policy.Observe,
	"Network.disable":            policy.Observe,
	"Network.enable":             policy.Observe,
	"Network.getCookies":         policy.Observe,
	"Network.getRequestPostData": policy.Observe,
	"Network.getResponseBody":    policy.Observe,
	"Runtime.disable":            policy.Observe,
	"Runtime.enable":             policy.Observe,

	"IO.close": policy.Read, // of streams that other commands here answered with
	"IO.read":  policy.Read,

	"Page.getNavigationHistory":          policy.Read,
	"Page.handleJavaScriptDialog":        policy.Read, // an open dialog blocks reading; the dialogs tool asks for act to accept
	"Page.navigate":                      policy.Read,
	"Page.navigateToHistoryEntry":        policy.Read,
	"Page.printToPDF":                    policy.Read,
	"Page.reload":                        policy.Read,
	"Page.setInterceptFileChooserDialog": policy.Act, // no click of ours opens a window of the system
	"Page.stopLoading":                   policy.Read,

	"Runtime.callFunctionOn":     policy.Eval,
	"Runtime.evaluate":           policy.Eval,
	"Runtime.releaseObject":      policy.Eval,
	"Runtime.terminateExecution": policy.Eval,
}

// CDPEvents lists the DevTools events that the extension forwards to the servers that
// use the tab. The observers' are sent only while their domain is enabled.
var CDPEvents = map[string]policy.Access{
	"Inspector.targetCrashed":                    policy.Read,
	"Inspector.targetReloadedAfterCrash":         policy.Read,
	"Page.domContentEventFired":                  policy.Read,
	"Page.downloadProgress":                      policy.Read,
	"Page.downloadWillBegin":                     policy.Read,
	"Page.fileChooserOpened":                     policy.Act,
	"Page.frameAttached":                         policy.Read,
	"Page.frameDetached":                         policy.Read,
	"Page.frameNavigated":                        policy.Read,
	"Page.frameRequestedNavigation":              policy.Read,
	"Page.frameStartedLoading":                   policy.Read,
	"Page.frameStartedNavigating":                policy.Read,
	"Page.frameStoppedLoading":                   policy.Read,
	"Page.javascriptDialogClosed":                policy.Read,
	"Page.javascriptDialogOpening":               policy.Read,
	"Page.lifecycleEvent":                        policy.Read,
	"Page.loadEventFired":                        policy.Read,
	"Page.navigatedWithinDocument":               policy.Read,
	"Page.windowOpen":                            policy.Read,
	"WebMCP.toolsAdded":                          policy.Read, // frames only, without a word of the page
	"WebMCP.toolsRemoved":                        policy.Read,
	"Input.dragIntercepted":                      policy.Act,
	"Log.entryAdded":                             policy.Observe,
	"Network.loadingFailed":                      policy.Observe,
	"Network.loadingFinished":                    policy.Observe,
	"Network.requestWillBeSent":                  policy.Observe,
	"Network.requestWillBeSentExtraInfo":         policy.Observe,
	"Network.responseReceived":                   policy.Observe,
	"Network.responseReceivedExtraInfo":          policy.Observe,
	"Network.requestServedFromCache":             policy.Observe,
	"Network.webSocketCreated":                   policy.Observe,
	"Network.webSocketClosed":                    policy.Observe,
	"Network.webSocketFrameError":                policy.Observe,
	"Network.webSocketFrameReceived":             policy.Observe,
	"Network.webSocketFrameSent":                 policy.Observe,
	"Network.webSocketHandshakeResponseReceived": policy.Observe,
	"Network.webSocketWillSendHandshakeRequest":  policy.Observe,
	"Runtime.consoleAPICalled":                   policy.Observe,
	"Runtime.exceptionThrown":                    policy.Observe,
	"Runtime.executionContextCreated":            policy.Observe,
}
